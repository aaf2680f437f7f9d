import { join } from 'node:path'

/**
 * What the executable carries. This file is what `bun run src/main.ts` sees: nothing. The build
 * replaces it by one whose entries point at the files inside the executable
 * (scripts/build/build.ts).
 */
export type EmbeddedFile = {
  name: string
  /** Where the bytes are: a path inside the executable. */
  path: string
  /** Size and SHA-256 of the unpacked file. */
  sizeBytes: number
  sha256: string
  /** What is stored one after another, each a zstd frame; null: the file is stored as it is. */
  parts: readonly EmbeddedPart[] | null
}

/** A part of a file: the length of its frame, and where it begins and what it is, unpacked. */
export type EmbeddedPart = { storedBytes: number; start: number; sha256: string }

/** `hash` names the whole set, so that another release unpacks beside this one. */
export type Embedded = { hash: string; files: EmbeddedFile[] }

/**
 * The folder above src/, for what runs from source; empty in an executable, which is the same
 * wherever it was built.
 */
export const sourceRoot: string = join(import.meta.dir, '../../..')

export const embedded: Embedded | null = null as Embedded | null

/** The target that the executable was built for, as scripts/build/target.ts names it. */
export const builtFor: string | null = null as string | null

/** ONNX Runtime, which few need: unpacked once a model asks for it; null where there is none. */
export const embeddedOnnx: Embedded | null = null as Embedded | null
