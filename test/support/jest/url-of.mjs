/** The URL of what `import` finds from the project, so that a test and the service share one copy of a package that has two. */
export const urlOf = (specifier) => import.meta.resolve(specifier);
