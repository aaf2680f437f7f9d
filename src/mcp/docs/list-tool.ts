import { z } from 'zod'
import type { LibraryVersion } from '../../library/library.ts'
import { latestState, versionsByLibrary } from '../../library/list.ts'
import { list, type LibraryListing } from '../../operation/library.ts'
import { noteSentence } from '../../operation/note.ts'
import { operationArguments } from '../operation-input.ts'
import { readsOnly } from '../tool.ts'
import { tool } from './docs-tool.ts'
import { escapeInline } from './quote.ts'

const given = operationArguments(list.input)

const details = z
  .boolean()
  .optional()
  .describe('instead of versions, objects with pages, source, commit, size and stale parts')

export const listLibraries = tool({
  name: 'list_libraries_tool',
  aliases: ['list_libraries'],
  title: 'List libraries',
  description:
    'List the libraries whose documentation is indexed on this machine, each with its versions: ' +
    'a JSON object from name to versions. With search_term, those whose name contains it.',
  input: given.schema.extend({ details }),
  output: z.record(
    z.string(),
    z.array(z.union([z.string(), z.looseObject({ version: z.string() })])),
  ),
  annotations: readsOnly,
  async run({ og }, typed) {
    const input = given.input(typed)
    const answer = typed['details']
      ? await list.run({ versions: og.holdings }, input)
      : await list.run({ versions: og.list }, input)
    const { libraries } = answer.value
    const structured = typed['details']
      ? Object.fromEntries(Map.groupBy(list.json(answer), ({ library }) => library))
      : versionsByLibrary(libraries)
    const text = JSON.stringify(structured)
    const gaps = answer.notes.map((note) => noteSentence(note, escapeInline))
    const notes =
      libraries.length > 0
        ? [...latestNote(libraries), ...gaps]
        : [emptyNote(answer.value, input.search_term ?? '')]
    return { text, structured, ...(notes.length > 0 && { note: notes.join('\n') }) }
  },
})

function emptyNote({ nearest, indexed }: LibraryListing, term: string): string {
  if (indexed.length === 0) {
    return 'No libraries are indexed. To add one, run: og add LIBRARY --source GIT_URL_OR_FOLDER'
  }
  const near = nearest.map((name) => `'${name}'`).join(', ')
  const others = near === '' ? `Indexed: ${indexed.join(', ')}.` : `Nearest: ${near}.`
  return `No library name contains '${escapeInline(term)}'. ${others}`
}

/** The tag or commit of each `latest`. It is a note because the shape of the object is fixed. */
function latestNote(all: readonly LibraryVersion[]): string[] {
  const states = all.flatMap((one) => {
    const state = latestState(one)
    return state === null ? [] : [`${one.library} ${state}`]
  })
  return states.length === 0 ? [] : [`"latest" is: ${states.map(escapeInline).join('; ')}.`]
}
