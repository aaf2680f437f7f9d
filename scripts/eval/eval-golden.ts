/**
 * Rewrites test/eval/golden.txt with the current hits of its queries: `npm run eval -- golden`. The
 * diff shows a reviewer the effect of a ranking change, as Zoekt's golden files do. Each block
 * begins with a line that contains the library and the query and is kept; the other lines are
 * rewritten.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Og } from '../../src/open.ts'

const shownHits = 5

/** @param path the golden file; its queries are kept */
export async function writeGolden(og: Pick<Og, 'search'>, path: string): Promise<void> {
  const queries = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\S/.test(line))
  const blocks: string[] = []
  for (const line of queries) {
    const [, libraries, query] = /^([\w,]+): (.+)$/.exec(line)!
    const asked = { library: libraries!, version: null, query: query!, limit: shownHits }
    const { hits, doubt } = await og.search({ ...asked, judge: true })
    const places = hits.map(({ library, path, heading }) => {
      const own = heading.split(' > ').at(-1)
      return `  ${libraries!.includes(',') ? `${library} ` : ''}${path} # ${own}`
    })
    blocks.push([line, ...(doubt === null ? [] : ['  (weak)']), ...places].join('\n'))
  }
  writeFileSync(path, `${blocks.join('\n\n')}\n`)
}
