/** Whether PostgreSQL can store the string: no NUL character, no lone surrogate. */
export const isText = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

export const notText = 'must not contain NUL characters or lone surrogates';
