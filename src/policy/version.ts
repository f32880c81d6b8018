// The version of this package, for the files that it writes: pages have no package.json to read it from.

export const version = "0.1.0";
