import { z } from 'zod'
import type { libraryJson } from './library.ts'

/**
 * Schema of the JSON of a library version. The terminal prints that JSON without loading this file.
 */
export const librarySchema = z.object({
  library: z.string(),
  version: z.string(),
  pages: z.int(),
  chunks: z.int(),
  source: z.string(),
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  indexed_at: z.string(),
  bytes: z.int().nullable().optional().describe('size on disk; null if it is not known'),
  previous_bytes: z.int().nullable().optional().describe('of the state that og rollback restores'),
  stale: z
    .array(z.object({ what: z.string(), remedy: z.string() }))
    .optional()
    .describe('what would be made otherwise today, and the command that does it'),
  pack: z.string().nullable().describe('the pack that it was added from'),
  incomplete: z.string().nullable().describe('why its source was not read whole'),
  tag: z.string().nullable(),
})

type LibraryJson = ReturnType<typeof libraryJson>

/** Compiles only if the schema matches the JSON. */
export const libraryJsonMatches: (json: LibraryJson) => z.input<typeof librarySchema> = (json) =>
  json
