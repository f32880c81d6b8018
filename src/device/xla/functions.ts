// The functions of the PJRT C interface that are called: their places in the plugin's table, and the fields of their
// arguments.

/** The first functions of the table, in its order; a name that begins with "-" is not called. */
const table = `
  Error_Destroy Error_Message Error_GetCode Plugin_Initialize -Plugin_Attributes
  Event_Destroy Event_IsReady -Event_Error Event_Await -Event_OnReady
  Client_Create Client_Destroy Client_PlatformName -Client_ProcessIndex Client_PlatformVersion Client_Devices
  Client_AddressableDevices -Client_LookupDevice -Client_LookupAddressableDevice -Client_AddressableMemories
  Client_Compile -Client_DefaultDeviceAssignment Client_BufferFromHostBuffer
  DeviceDescription_Id -DeviceDescription_ProcessIndex -DeviceDescription_Attributes DeviceDescription_Kind
  -DeviceDescription_DebugString -DeviceDescription_ToString
  Device_GetDescription -Device_IsAddressable -Device_LocalHardwareId -Device_AddressableMemories
  -Device_DefaultMemory Device_MemoryStats
  -Memory_Id -Memory_Kind -Memory_DebugString -Memory_ToString -Memory_AddressableByDevices
  Executable_Destroy -Executable_Name -Executable_NumReplicas -Executable_NumPartitions Executable_NumOutputs
  -Executable_SizeOfGeneratedCodeInBytes -Executable_GetCostAnalysis -Executable_OutputMemoryKinds
  -Executable_OptimizedProgram Executable_Serialize
  LoadedExecutable_Destroy LoadedExecutable_GetExecutable -LoadedExecutable_AddressableDevices
  -LoadedExecutable_Delete -LoadedExecutable_IsDeleted LoadedExecutable_Execute Executable_DeserializeAndLoad
  -LoadedExecutable_Fingerprint
  Buffer_Destroy -Buffer_ElementType -Buffer_Dimensions -Buffer_UnpaddedDimensions
  -Buffer_DynamicDimensionIndices -Buffer_GetMemoryLayout -Buffer_OnDeviceSizeInBytes -Buffer_Device
  -Buffer_Memory -Buffer_Delete -Buffer_IsDeleted -Buffer_CopyToDevice Buffer_ToHostBuffer
  -Buffer_IsOnCpu Buffer_ReadyEvent -Buffer_UnsafePointer -Buffer_IncreaseExternalReferenceCount
  -Buffer_DecreaseExternalReferenceCount -Buffer_OpaqueDeviceMemoryDataPointer
  -CopyToDeviceStream_Destroy -CopyToDeviceStream_AddChunk -CopyToDeviceStream_TotalBytes
  -CopyToDeviceStream_GranuleSize -CopyToDeviceStream_CurrentBytes
  -TopologyDescription_Create -TopologyDescription_Destroy -TopologyDescription_PlatformName
  -TopologyDescription_PlatformVersion -TopologyDescription_GetDeviceDescriptions -TopologyDescription_Serialize
  -TopologyDescription_Attributes -Compile -Executable_OutputElementTypes -Executable_OutputDimensions
  -Buffer_CopyToMemory -Client_CreateViewOfDeviceBuffer -Executable_Fingerprint -Client_TopologyDescription
  Executable_GetCompiledMemoryStats
`
  .trim()
  .split(/\s+/);

/**
 * The fields of each function's arguments, behind the size and the extensions that all begin with: pointers and other
 * words of eight bytes, unless "i:" says four.
 */
const fields = {
  Error_Destroy: "error",
  Error_Message: "error message messageSize",
  Error_GetCode: "error i:code",
  Plugin_Initialize: "",
  Event_Destroy: "event",
  Event_IsReady: "event isReady",
  Event_Await: "event",
  Client_Create:
    "options numOptions kvGet kvGetArgument kvPut kvPutArgument client kvTryGet kvTryGetArgument",
  Client_Destroy: "client",
  Client_PlatformName: "client name nameSize",
  Client_PlatformVersion: "client version versionSize",
  Client_Devices: "client devices numDevices",
  Client_AddressableDevices: "client devices numDevices",
  Client_Compile: "client program options optionsSize executable",
  Client_BufferFromHostBuffer:
    "client data i:type dims numDims byteStrides numByteStrides i:semantics device memory layout done buffer",
  DeviceDescription_Id: "description i:id",
  DeviceDescription_Kind: "description kind kindSize",
  Device_GetDescription: "device description",
  Device_MemoryStats:
    "device inUse peak hasPeak allocations hasAllocations largest hasLargest limit hasLimit",
  Executable_Destroy: "executable",
  Executable_NumOutputs: "executable numOutputs",
  Executable_GetCompiledMemoryStats: "executable code arguments outputs aliases temporary",
  Executable_Serialize: "executable bytes bytesSize serialized deleter",
  LoadedExecutable_Destroy: "executable",
  LoadedExecutable_GetExecutable: "loaded executable",
  LoadedExecutable_Execute: "executable options arguments numDevices numArguments outputs events device",
  Executable_DeserializeAndLoad: "client bytes bytesSize loaded",
  Buffer_Destroy: "buffer",
  Buffer_ToHostBuffer: "source layout target targetSize event",
  Buffer_ReadyEvent: "buffer event",
} as const;

/** Structures that arguments point to. */
const structures = {
  Program: "code codeSize format formatSize",
  ExecuteOptions:
    "sendCallbacks recvCallbacks numSends numReceives i:launchId nonDonatable numNonDonatable context",
  /** A layout by its axes, the fastest first, without tiles; the kind, which follows, is 0. */
  MemoryLayout: "innerSize innerExtensions minorToMajor minorToMajorSize tileDims tileDimSizes numTiles",
  NamedValue: "name nameSize i:type value valueSize",
} as const;

export type FunctionName = keyof typeof fields;
export type StructureName = FunctionName | keyof typeof structures;

/** Where each field of a structure is. */
export type Offsets = Readonly<Record<string, number>>;

function offsetsOf(spec: string): Offsets {
  const offsets: Record<string, number> = {};
  let next = 16;
  for (const field of spec.split(" ").filter((name) => name !== "")) {
    const isHalf = field.startsWith("i:");
    const size = isHalf ? 4 : 8;
    next = Math.ceil(next / size) * size;
    offsets[isHalf ? field.slice(2) : field] = next;
    next += size;
  }
  return offsets;
}

export const offsets = Object.fromEntries(
  Object.entries({ ...fields, ...structures }).map(([name, spec]) => [name, offsetsOf(spec)]),
) as Readonly<Record<StructureName, Offsets>>;

/** Functions that plugins may do without. */
export const optional: ReadonlySet<string> = new Set<FunctionName>([
  "Device_MemoryStats",
  "Executable_GetCompiledMemoryStats",
]);

/** The place of each function in the table. */
export const places = Object.keys(fields).map((name) => [name as FunctionName, table.indexOf(name)] as const);

/** The table begins with its own size, extensions, and the version of the interface; then come the functions. */
export const tableHeader = { size: 0, major: 32, minor: 36, functions: 40 } as const;

/** Types of elements (PJRT_Buffer_Type). */
export const elementTypes = { bool: 1, int32: 4, uint8: 6, uint32: 8, float32: 11, float64: 12 } as const;

/** Kinds of options (PJRT_NamedValue_Type). */
export const valueTypes = { string: 0, int64: 1, int64List: 2, float: 3, bool: 4 } as const;

/** Codes of errors that mean something to us (PJRT_Error_Code). */
export const codes = { invalidArgument: 3, notFound: 5, resourceExhausted: 8, unimplemented: 12 } as const;
