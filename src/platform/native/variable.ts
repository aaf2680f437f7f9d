import { dlopen } from 'bun:ffi'

const libraries: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'libc.so.6',
  darwin: 'libSystem.B.dylib',
}

/**
 * Sets an environment variable for native code of this process. Assigning to process.env does not:
 * Bun keeps that as a copy for JavaScript, one for each worker. Does nothing on Windows, whose
 * native libraries read no variable of og.
 */
export function setNativeVariable(name: string, value: string): void {
  const library = libraries[process.platform]
  if (library === undefined) return
  const libc = dlopen(library, { setenv: { args: ['ptr', 'ptr', 'i32'], returns: 'i32' } })
  const [namePointer, valuePointer] = [name, value].map((text) => Buffer.from(`${text}\0`))
  libc.symbols.setenv(namePointer!, valuePointer!, 1)
  libc.close()
}
