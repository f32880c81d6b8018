// `nn`: the functions of jax.nn that networks are made of.
export * from "./activations.js";
export { dotProductAttention, type AttentionOptions } from "./attention.js";
export * from "./functions.js";
