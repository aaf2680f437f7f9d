import { includeCandidates, type Dialect } from '../page/include/include.ts'
import { dialectOf, parsePage, type PageFile } from '../page/parse.ts'
import type { Work } from '../platform/aside/aside-child.ts'
import { pageOfRaw, type RawPage } from './raw-page.ts'
import { documentPage, type WebDocument } from './web/web-document.ts'

/** `from`: where the file is among those that it may include; null: it includes none. */
export type FileInput = { file: PageFile; from: string | null }
type DocumentInput = { document: WebDocument; address: string }
/** `dialect` is null for a page itself. */
export type IncludesInput = { text: string; path: string; dialect: Dialect | null }
/** Of each include the files that it may mean, which are to be read `as` their page is. */
export type Includes = { as: Dialect; candidates: string[][] }

/** How pages are parsed, in the process that does it. */
export const parsers = {
  file: ({ file, from }: FileInput, read: (path: string) => Promise<never>) =>
    parsePage(file, from === null ? undefined : { from, read }),
  document: ({ document, address }: DocumentInput) => documentPage(document, address),
  raw: (raw: RawPage) => pageOfRaw(raw),
  includes: ({ text, path, dialect }: IncludesInput): Includes => {
    const as = dialect ?? dialectOf(path, text)
    return as === null ? { as: 'text', candidates: [] }
      : { as, candidates: includeCandidates(text, { from: path, dialect: as }) }
  },
} satisfies Record<string, Work>
