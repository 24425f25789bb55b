/** The methods that some path offers, as lists of headers have them. */
export const METHODS = 'GET, HEAD, POST, PATCH';
