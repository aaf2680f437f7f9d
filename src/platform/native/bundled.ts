import { join } from 'node:path'
import type { Asset } from './asset.ts'

/**
 * A file bundled in the executable. If og runs from source, no file is bundled. The build replaces
 * this module with one that lists the files inside the executable (scripts/build/build.ts).
 */
export type BundledFile = {
  name: string
  path: string
  sizeBytes: number
  sha256: string
  /** The zstd frames of the file, in order; null if it is not compressed. */
  parts: readonly BundledPart[] | null
  /** The published file that contains the frames if the executable does not. */
  asset?: Asset
}

/**
 * A part of a file. `storedBytes` is the length of its compressed frame, which ends with a
 * checksum. `start` is its offset in the unpacked file.
 */
export type BundledPart = { storedBytes: number; start: number }

/** A set of bundled files. `hash` names the folder into which a release unpacks them. */
export type BundledFiles = { hash: string; files: BundledFile[] }

/**
 * The folder that contains src/, if og runs from source. Empty in an executable, which must not
 * depend on its build location.
 */
export const sourceRoot: string = join(import.meta.dir, '../../..')

export const bundledNatives: BundledFiles | null = null as BundledFiles | null

/** The target of the executable, as named in scripts/build/target.ts. */
export const buildTarget: string | null = null as string | null

/**
 * The files of ONNX Runtime, or null if the build has none. og unpacks them only if a model needs
 * them. The release provides its library as a separate asset.
 */
export const bundledOnnx: BundledFiles | null = null as BundledFiles | null
