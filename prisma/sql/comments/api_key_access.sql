comment on type api_key_access is 'What a key may do: read (GET and HEAD only) or write (everything).';
