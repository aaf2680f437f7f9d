import { readFile } from 'node:fs/promises'
import { once } from '../platform/concurrency.ts'

/**
 * Returns a function that checks whether a lower-case word is in the bundled model's vocabulary,
 * which has one token for each frequent English word. Searching the text of `tokenizer.json` takes
 * a thirtieth of the time of parsing it. Without the file, no word is known.
 */
export function openWordList(path: string | null): (word: string) => Promise<boolean> {
  const text = once(async () => (path === null ? '' : await readFile(path, 'utf8')))
  return async (word) => (await text()).includes(`"${word}":`)
}
