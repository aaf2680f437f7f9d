import { zstdCompressSync } from 'node:zlib'
import { writeFileSync } from 'node:fs'
import {
  manifestName,
  manifestText,
  memberName,
  packFormat,
  type PackManifest,
  type PackMember,
} from '../../../src/library/pack/pack-format.ts'
import { chunkTerms } from '../../../src/chunk/terms.ts'
import { packPages, type PackedPage } from '../../../src/library/pack/packed-pages.ts'
import { tarEnd, tarHeader, tarPadding } from '../../../src/library/pack/tar.ts'
import { contentHashOf, pageHash } from '../../../src/library/add/pages.ts'
import { chunkerOf } from '../../../src/library/recipe.ts'
import { sha256 } from '../../../src/platform/hash.ts'

/** Packs with correct hashes and counts that take far more memory than their size. */
export type HostilePack = keyof typeof hostilePages

const megabyte = 2 ** 20

export const hostilePages = {
  /** 2,000 chunks that each cover a whole page of 1 MB. */
  wholePage: () => [
    page(
      { text: words(megabyte) },
      repeated(2000, () => ['', 0, megabyte]),
    ),
  ],
  /** A chunk for each character of a page. */
  characters: () => [
    page(
      { text: words(megabyte) },
      repeated(megabyte, (i) => ['', i, i + 1]),
    ),
  ],
  /** Each of 5,000 chunks repeats a title of 100,000 characters. */
  title: () => [
    page(
      { text: words(15_000), title: words(100_000) },
      repeated(5000, (i) => ['', 3 * i, 3 * i + 3]),
    ),
  ],
  /** Each of 5,000 chunks repeats an address of 100,000 characters. */
  url: () => [
    page(
      { text: words(15_000), url: `https://x.example/${'a'.repeat(99_000)}` },
      repeated(5000, (i) => ['', 3 * i, 3 * i + 3]),
    ),
  ],
  /** 600 headings of 100,000 characters. */
  headings: () => [
    page(
      { text: words(1800) },
      repeated(600, (i) => [words(100_000), 3 * i, 3 * i + 3]),
    ),
  ],
  /** The largest number of chunks that a page of 1 MB may have. */
  tiny: () => [
    page(
      { text: words(megabyte), url: 'u', path: '', title: '' },
      repeated(megabyte / 3, (i) => ['', 3 * i, 3 * i + 3]),
    ),
  ],
  /** 400,000 pages of one character. */
  pages: () =>
    repeated(400_000, (i) =>
      page({ text: 'x', url: `u${String(i).padStart(7, '0')}` }, [['', 0, 1]]),
    ),
} satisfies Record<string, () => PackedPage[]>

type Place = readonly [heading: string, start: number, end: number, terms?: string]

function words(length: number): string {
  return 'light oil wick '.repeat(Math.ceil(length / 15)).slice(0, length)
}

function repeated<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

/**
 * A page with chunks at positions in its text. They have the terms of their texts unless terms are
 * given.
 */
export function page(
  own: Partial<PackedPage['page']> & { text: string },
  places: readonly Place[],
): PackedPage {
  const page = {
    url: 'index.md',
    path: 'index.md',
    title: 'Lamp',
    description: '',
    last_modified: '',
    markup: 'markdown',
    validator: '',
    ...own,
  }
  const { title, text } = page
  const path = page.path.replace(/\.\w+$/, '')
  const kept = new Map<string, string>()
  const termsOf = (heading: string, body: string) => {
    const key = `${heading}\n${body}`
    // With the terms of long texts the pack would be too large and be rejected before terms are
    // compared.
    if (key.length + title.length + path.length > 100) return ''
    const terms = kept.get(key) ?? chunkTerms({ title, heading, path, body }).join(' ')
    kept.set(key, terms)
    return terms
  }
  return {
    page,
    chunks: places.map(([heading, start_offset, end_offset, terms]) => {
      const content = text.slice(start_offset, end_offset)
      return { heading, start_offset, end_offset, terms: terms ?? termsOf(heading, content) }
    }),
  }
}

/** Writes pages as one pack without embeddings, with the chunker of this og. */
export function writeHostile(
  path: string,
  pages: readonly PackedPage[],
  more: Partial<PackManifest> = {},
): string {
  const content = packPages(pages)
  const packed = zstdCompressSync(content)
  const member: PackMember = {
    kind: 'pages',
    sha256: sha256(content),
    size: content.length,
    packed: packed.length,
    rows: pages.length,
  }
  const hashes = new Map(pages.map((it) => [it.page.url, pageHash(it.page)]))
  const head = Buffer.from(
    manifestText({
      format: packFormat,
      library: 'lamp',
      version: '1',
      title: 'Lamp',
      source: { kind: 'git_repo', url: 'https://git.example/lamp' } as PackManifest['source'],
      ref: null,
      commit: null,
      indexedAt: '2026-01-01T00:00:00.000Z',
      license: null,
      pages: pages.length,
      chunks: pages.reduce((sum, { chunks }) => sum + chunks.length, 0),
      failed: 0,
      contentHash: contentHashOf(hashes),
      chunker: chunkerOf({ chunkChars: undefined, overlapChars: undefined }),
      fingerprint: null,
      arithmetic: null,
      calibration: null,
      vectors: 'none',
      lancedb: '0.0.0',
      members: [member],
      ...more,
    }),
  )
  writeFileSync(
    path,
    Buffer.concat([
      tarHeader(manifestName, head.length),
      head,
      tarPadding(head.length),
      tarHeader(memberName(member), member.packed),
      packed,
      tarPadding(member.packed),
      tarEnd,
    ]),
  )
  return path
}
