import { z } from 'zod'
import { noteSchema } from './search-schema.ts'

/** Schema of the object that `get.json` returns. */
export const pageSchema = z.object({
  found: z.boolean(),
  library: z.string().optional(),
  version: z.string().optional(),
  url: z.string().optional(),
  title: z.string().optional(),
  heading: z.string().optional().describe('of the section that #anchor selected'),
  anchor: z.string().optional(),
  text: z.string().optional(),
  start_line: z.int().optional(),
  end_line: z.int().optional(),
  total_lines: z.int().optional(),
  outline: z
    .array(z.object({ line: z.int(), level: z.int(), title: z.string() }))
    .optional()
    .describe('headings of a page that is not returned whole'),
  next_cursor: z.string().optional().describe('where the rest begins; absent at the end'),
  notes: z.array(noteSchema).optional(),
  nearest: z.array(z.string()).optional().describe('addresses near to one that is not there'),
})
