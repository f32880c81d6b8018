// What the files of a checkpoint are called, and the word by which they are known.

export const manifestName = "checkpoint.json";
export const tensorsName = "tensors.safetensors";

/** The first value of every manifest. */
export const format = "vibe-rl checkpoint";
