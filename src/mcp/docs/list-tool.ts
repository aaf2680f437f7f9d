import { z } from 'zod'
import type { LibraryVersion } from '../../library/library.ts'
import { latestState, versionsByLibrary } from '../../library/list.ts'
import { nearest } from '../../platform/text/nearest.ts'
import { tool } from './docs-tool.ts'
import { escapeInline } from './quote.ts'
import { readsOnly } from '../tool.ts'

export const listLibraries = tool({
  name: 'list_libraries_tool',
  aliases: ['list_libraries'],
  title: 'List libraries',
  description:
    'List the libraries whose documentation is indexed on this machine, each with its versions: ' +
    'a JSON object from name to versions. With search_term, those whose name contains it.',
  input: z.strictObject({
    search_term: z.string().max(200).optional().describe('part of a name; case does not matter'),
  }),
  output: z.record(z.string(), z.array(z.string())),
  annotations: readsOnly,
  async run({ og }, { search_term: term = '' }) {
    const all = await og.list()
    const part = term.trim().toLowerCase()
    const matches = all.filter(({ library }) => library.toLowerCase().includes(part))
    const structured = versionsByLibrary(matches)
    const text = JSON.stringify(structured)
    const notes = [...latestNote(matches), ...gapNote(matches)]
    if (notes.length > 0) return { text, structured, note: notes.join('\n') }
    if (matches.length > 0) return { text, structured }
    const names = [...new Set(all.map(({ library }) => library))]
    const near = nearest(term, names).map((name) => `'${name}'`)
    const note =
      names.length === 0
        ? 'No libraries are indexed. To add one, run: og add LIBRARY --source GIT_URL_OR_FOLDER'
        : `No library name contains '${escapeInline(term)}'. ` +
          (near.length > 0 ? `Nearest: ${near.join(', ')}.` : `Indexed: ${names.join(', ')}.`)
    return { text, structured, note }
  },
})

/**
 * The tag or commit behind each `latest`. It is a note because the shape of the object is fixed.
 */
function latestNote(all: readonly LibraryVersion[]): string[] {
  const states = all.flatMap((one) => {
    const state = latestState(one)
    return state === null ? [] : [`${one.library} ${state}`]
  })
  return states.length === 0 ? [] : [`"latest" is: ${states.map(escapeInline).join('; ')}.`]
}

/** Names the versions whose source was read only in part. */
function gapNote(all: readonly LibraryVersion[]): string[] {
  const gaps = all.flatMap(({ library, version, incomplete }) =>
    incomplete === null ? [] : [`${library} ${version} (${incomplete})`],
  )
  return gaps.length === 0 ? [] : [`Incomplete: ${gaps.map(escapeInline).join('; ')}.`]
}
