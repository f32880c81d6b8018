/** The environments of the library itself; `listEnvs` also knows those that other tests registered before. */
export const builtIn = [
  "Acrobot-v1",
  "Asterix-MinAtar",
  "Breakout-MinAtar",
  "CartPole-v1",
  "Freeway-MinAtar",
  "GridWorld-v0",
  "MountainCar-v0",
  "MountainCarContinuous-v0",
  "Pendulum-v1",
  "PixelGridWorld-v0",
  "Seaquest-MinAtar",
  "SpaceInvaders-MinAtar",
];
