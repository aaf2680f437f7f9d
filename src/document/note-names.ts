/** Names of notes in all formats. A note without a title is titled with its name. */
export const noteNames =
  'note|tip|hint|info|important|warning|caution|danger|attention|error|success|seealso|example' +
  '|check'

const note = new RegExp(`^(?:${noteNames})$`, 'i')

export function isNoteName(name: string): boolean {
  return note.test(name)
}
