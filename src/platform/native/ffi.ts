import { dlopen, type FFIFunction, type Library } from 'bun:ffi'

/**
 * Opens a library's C functions. Returns null if this process must not create machine code
 * (systemd's MemoryDenyWriteExecute, `BUN_JSC_useJIT=0`, little address space), because bun:ffi
 * generates code for each function.
 */
export function openForeignFunctions<Functions extends Record<string, FFIFunction>>(
  path: string,
  functions: Functions,
): Library<Functions> | null {
  try {
    return dlopen(path, functions)
  } catch (error) {
    if (isWithoutJit(error)) return null
    throw error
  }
}

/**
 * Opens functions of og's own library with bun:ffi, or with Node-API (native/napi.c) if this
 * process must not generate machine code.
 * @throws if the file is not such a library
 */
export function openOwnLibrary<Functions extends Record<string, FFIFunction>>(
  path: string,
  functions: Functions,
): Library<Functions>['symbols'] {
  const library = openForeignFunctions(path, functions)
  if (library !== null) return library.symbols
  const addon = { exports: {} }
  process.dlopen(addon, path)
  return addon.exports as Library<Functions>['symbols']
}

/** Bun has no error code for this, so the message is checked. */
function isWithoutJit(error: unknown): boolean {
  return error instanceof TypeError && /requires the JIT/.test(error.message)
}
