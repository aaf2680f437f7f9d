import { outlineFile } from '../api/outline.ts'
import { apiPackages } from '../references/api-lookup.ts'
import { decodeText } from '../formats/decode.ts'
import { formatOf, type FormatName } from '../formats/formats.ts'
import { includeCandidates } from '../references/include.ts'
import type { SiteConfig } from '../sites/generator.ts'
import { readSite, type GeneratorName } from '../sites/generators.ts'
import { parsePages, type PageFile } from '../page/parse.ts'
import type { FindTitles } from '../document/reference-key.ts'
import type { SandboxWork } from '../platform/sandbox/sandbox-child.ts'
import { rawPageToPage, type RawPage } from './raw-page.ts'
import { parseWebDocument, type WebDocument } from './web-document.ts'
import type { PageSite } from '../formats/parsed-text.ts'

/**
 * `from` is the file's path relative to the files that it may include, or null if it may include
 * none. `hasTitles` is true if the parent process can find titles.
 */
export type FileInput = { file: PageFile; from: string | null; hasTitles?: boolean }
/** A file's path, lists of paths for `readFirst`, or lists of queries for titles. */
export type FileQuestion = string | readonly string[][] | { titles: Parameters<FindTitles>[0] }
type DocumentInput = { document: WebDocument; address: string }
/** `dialect` is the including page's dialect, or null if the text is itself a page. */
export type IncludesInput = {
  text: string
  path: string
  dialect: FormatName | null
  site?: PageSite | undefined
}
export type SiteInput = SiteConfig & { generator: GeneratorName }
/**
 * `candidates` lists, for each include, the paths that it may refer to. `as` is the dialect of
 * those files. `packages` are the packages whose source files provide documentation for the text.
 */
export type Includes = { as: FormatName; candidates: string[][]; packages: string[] }

export type OutlineInput = { path: string; bytes: Uint8Array }

export const parsers = {
  file: ({ file, from, hasTitles }: FileInput, ask: (question: FileQuestion) => Promise<never>) => {
    const titles: FindTitles = (queries) => ask({ titles: queries })
    const options = { read: ask, readFirst: ask, titles: hasTitles ? titles : undefined }
    return parsePages(file, from === null ? undefined : { from, ...options })
  },
  document: ({ document, address }: DocumentInput) => parseWebDocument(document, address),
  outline: ({ path, bytes }: OutlineInput) => outlineFile(path, decodeText(bytes, path)),
  raw: (raw: RawPage) => rawPageToPage(raw),
  site: (config: SiteInput, read: (path: string) => Promise<never>) => readSite(config, read),
  includes: async ({ text, path, dialect, site }: IncludesInput): Promise<Includes> => {
    const as = dialect ?? formatOf(path, text)
    if (as === null) return { as: 'text', candidates: [], packages: [] }
    const candidates = await includeCandidates(text, { from: path, dialect: as, site })
    return { as, candidates, packages: apiPackages(text) }
  },
} satisfies Record<string, SandboxWork>
