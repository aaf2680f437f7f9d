import { z } from 'zod'
import { pageKinds } from '../page/page-kind.ts'
import type { SearchJson } from './search.ts'

/** Schemas of the JSON of a search. The terminal prints that JSON and does not load this file. */
export const hitSchema = z.object({
  rank: z.int(),
  score: z.number(),
  library: z.string(),
  version: z.string(),
  url: z.string(),
  title: z.string(),
  heading: z.string(),
  text: z.string(),
  chunk_id: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  anchor: z.string().nullable().describe('of the heading; null if unknown'),
  versions: z.array(z.string()).describe('indexed versions that contain the same text'),
  path: z.string(),
  kind: z.enum(pageKinds),
  language: z.string().nullable(),
  resource: z.string().describe('address of the page as a resource'),
})

export const noteSchema = z.looseObject({
  kind: z
    .string()
    .describe(
      'version-chosen, version-default, not-indexed, damaged, incomplete, not-asked, omitted or ' +
        'weak',
    ),
  message: z.string(),
})

export const searchSchema = z.object({
  query: z.string(),
  library: z.string().nullable(),
  version: z.string().nullable(),
  hits: z.array(hitSchema),
  confidence: z
    .enum(['high', 'weak'])
    .describe('weak: no passage is clearly about the query; these are the nearest'),
  omitted: z.int().describe('hits that did not fit into max_tokens'),
  notes: z.array(noteSchema).describe('facts about the answer that the reader has to know'),
})

/** Fails to compile if the schema and the JSON differ. */
export const searchJsonMatches: (json: SearchJson) => z.input<typeof searchSchema> = (json) => json
