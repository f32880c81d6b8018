// The functions of CUDA's driver that are called, with the types of their parameters. They are those of CUDA 11, under the
// names by which the driver has had them since.

const pointer = "void *";
const address = "uint64";

/** Each returns a status, 0 where all is well. */
export const functions = {
  cuInit: ["uint32"],
  cuDriverGetVersion: [pointer],
  cuGetErrorName: ["int", pointer],
  cuGetErrorString: ["int", pointer],
  cuDeviceGetCount: [pointer],
  cuDeviceGet: [pointer, "int"],
  cuDeviceGetName: [pointer, "int", "int"],
  cuDeviceGetAttribute: [pointer, "int", "int"],
  cuDevicePrimaryCtxSetFlags_v2: ["int", "uint32"],
  cuDevicePrimaryCtxRetain: [pointer, "int"],
  cuCtxSetCurrent: [pointer],
  cuStreamCreate: [pointer, "uint32"],
  cuStreamQuery: [pointer],
  cuStreamSynchronize: [pointer],
  cuMemGetInfo_v2: [pointer, pointer],
  cuMemAlloc_v2: [pointer, "size_t"],
  cuMemFree_v2: [address],
  cuMemHostAlloc: [pointer, "size_t", "uint32"],
  cuMemHostGetDevicePointer_v2: [pointer, pointer, "uint32"],
  cuMemsetD8Async: [address, "uint8", "size_t", pointer],
  cuMemcpyHtoDAsync_v2: [address, pointer, "size_t", pointer],
  cuMemcpyDtoHAsync_v2: [pointer, address, "size_t", pointer],
  cuLinkCreate_v2: ["uint32", pointer, pointer, pointer],
  cuLinkAddData_v2: [pointer, "int", pointer, "size_t", "str", "uint32", pointer, pointer],
  cuLinkComplete: [pointer, pointer, pointer],
  cuLinkDestroy: [pointer],
  cuModuleLoadData: [pointer, pointer],
  cuModuleUnload: [pointer],
  cuModuleGetFunction: [pointer, pointer, "str"],
  cuFuncSetAttribute: [pointer, "int", "int"],
  cuOccupancyMaxActiveBlocksPerMultiprocessor: [pointer, pointer, "int", "size_t"],
  cuLaunchKernel: [
    pointer,
    ...["uint32", "uint32", "uint32"],
    ...["uint32", "uint32", "uint32"],
    "uint32",
    ...[pointer, pointer, pointer],
  ],
  cuLaunchCooperativeKernel: [
    pointer,
    ...["uint32", "uint32", "uint32"],
    ...["uint32", "uint32", "uint32"],
    "uint32",
    ...[pointer, pointer],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FunctionName = keyof typeof functions;

/** What is asked of a device (CUdevice_attribute). */
export const attributes = {
  multiprocessors: 16,
  timeLimit: 17,
  capabilityMajor: 75,
  capabilityMinor: 76,
  cooperativeLaunch: 95,
  sharedBytesPerBlock: 97,
  clusterLaunch: 120,
} as const;

/** Statuses that mean something to us (CUresult). */
export const status = {
  success: 0,
  outOfMemory: 2,
  stubLibrary: 34,
  deviceUnavailable: 46,
  noDevice: 100,
  invalidDevice: 101,
  noBinary: 209,
  uncorrectable: 214,
  invalidPtx: 218,
  unsupportedPtx: 222,
  notReady: 600,
  illegalAddress: 700,
  outOfResources: 701,
  timeout: 702,
  contextActive: 708,
  launchFailed: 719,
  cooperativeTooLarge: 720,
  driverMismatch: 803,
  invalidClusterSize: 912,
  unknown: 999,
} as const;
