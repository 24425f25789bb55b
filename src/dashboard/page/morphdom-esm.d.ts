export { default } from 'morphdom';
