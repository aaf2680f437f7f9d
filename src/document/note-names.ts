/** Names of notes in every format and dialect. A note without a title gets its name as heading. */
export const noteNames =
  'note|tip|hint|info|important|warning|caution|danger|attention|error|success|seealso|example' +
  '|check'

const note = new RegExp(`^(?:${noteNames})$`, 'i')

export function isNoteName(name: string): boolean {
  return note.test(name)
}
