comment on type pet_status is 'The states of a pet.';
