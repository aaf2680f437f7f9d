import { join } from 'node:path'
import type { Asset } from './asset.ts'

/**
 * A file bundled in the executable. No file is bundled if og runs from source: the build replaces
 * this module with one that has entries for files inside the executable (scripts/build/build.ts).
 */
export type BundledFile = {
  name: string
  path: string
  sizeBytes: number
  sha256: string
  /** The zstd frames of the file, in order; null if it is not compressed. */
  parts: readonly BundledPart[] | null
  /** The published file that has the frames, if they are not in the executable. */
  asset?: Asset
}

/**
 * A part of a file: `storedBytes` is the length of its compressed frame, which ends with a
 * checksum, and `start` its offset in the unpacked file.
 */
export type BundledPart = { storedBytes: number; start: number }

/**
 * A set of bundled files. `hash` is the name of its folder, so that every release unpacks into its
 * own folder.
 */
export type BundledFiles = { hash: string; files: BundledFile[] }

/**
 * The folder that contains src/, if og runs from source. Empty in an executable, which must not
 * depend on where it was built.
 */
export const sourceRoot: string = join(import.meta.dir, '../../..')

export const bundledNatives: BundledFiles | null = null as BundledFiles | null

/** The target of the executable, as named in scripts/build/target.ts. */
export const buildTarget: string | null = null as string | null

/**
 * The files of ONNX Runtime, unpacked only if a model needs them; null if the build has none. Its
 * library is an asset of the release.
 */
export const bundledOnnx: BundledFiles | null = null as BundledFiles | null
