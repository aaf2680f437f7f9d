import { join } from 'node:path'

/**
 * A file bundled with the executable. When og runs from source there are none: the build replaces
 * this module by one whose entries point at files inside the executable (scripts/build/build.ts).
 */
export type BundledFile = {
  name: string
  /** Path of the stored bytes inside the executable. */
  path: string
  /** Size and SHA-256 of the unpacked file. */
  sizeBytes: number
  sha256: string
  /** The zstd frames of the file, stored one after another; null if it is not compressed. */
  parts: readonly BundledPart[] | null
}

/** A part of a file: the length of its frame, and its offset and SHA-256 after unpacking. */
export type BundledPart = { storedBytes: number; start: number; sha256: string }

/** A set of files. `hash` names its folder, so that another release unpacks into another folder. */
export type BundledFiles = { hash: string; files: BundledFile[] }

/**
 * The folder above src/ when og runs from source. Empty in an executable, which must not depend on
 * the place of its build.
 */
export const sourceRoot: string = join(import.meta.dir, '../../..')

export const bundledNatives: BundledFiles | null = null as BundledFiles | null

/** The target of the executable, as scripts/build/target.ts names it. */
export const buildTarget: string | null = null as string | null

/** ONNX Runtime, unpacked only when a model needs it; null if the build has none. */
export const bundledOnnx: BundledFiles | null = null as BundledFiles | null
