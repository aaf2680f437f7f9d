import { join } from 'node:path'
import { writeFiles } from '../repository.ts'

/**
 * Numbers of pages and of chunks, one per section. They are enough for the text to be published
 * first.
 */
export const lamps = { pages: 10, chunks: 100 }

/**
 * Writes `docs` in a folder; section 4 of page 3 names `blink_3_4()`.
 * @returns its path
 */
export function writeLamps(below: string): string {
  const section = (page: number, at: number) =>
    `## Lamp ${page}x${at}\n\n\`blink_${page}_${at}()\` says ${'documentation '.repeat(75)}.\n`
  const sections = lamps.chunks / lamps.pages
  const page = (page: number) =>
    Array.from({ length: sections }, (_, at) => section(page, at)).join('\n')
  const files = Array.from({ length: lamps.pages }, (_, at) => [`page${at}.md`, page(at)])
  const folder = join(below, 'docs')
  writeFiles(folder, Object.fromEntries(files))
  return folder
}
