import { expect, test } from 'bun:test'
import { bundledSources } from '../../../src/library/sources/bundled-sources.ts'
import { libraryKey } from '../../../src/library/name.ts'
import { parseSourceEntry } from '../../../src/library/sources/source-entry.ts'
import { reasonToConfirm } from '../../../src/library/sources/source-trust.ts'

const sources = [...bundledSources()]

test('lists only public repositories with folders and a valid name', () => {
  for (const [library, entry] of sources) {
    const source = parseSourceEntry(entry, { what: library, folder: '/none', home: '/none' })
    if (source.kind !== 'git_repo') throw new Error(`${library} is no git repository`)
    expect(source.url).toMatch(/^https:\/\/(github|gitlab)\.com\/[\w.-]+\/[\w.-]+\.git$/)
    const paths = entry.docs_paths as string[]
    // An entry with the path `/` selects the whole repository.
    expect(source.docsPaths).toEqual(paths[0] === '/' ? [] : paths)
    expect(paths.every((path) => path === '/' || /^[\w][\w./*-]*$/.test(path))).toBe(true)
    expect(paths).not.toHaveLength(0)
    expect(libraryKey(library)).toBe(library)
  }
})

test('contains distinct names in alphabetical order', () => {
  const names = sources.map(([library]) => library)
  expect(names).toEqual([...names].sort())
  const plain = names.map((name) => name.replace(/[-_.]+/g, '-'))
  expect(new Set(plain).size).toBe(names.length)
})

test('contains every name of openground, with a source that has documentation (W-21)', () => {
  const names =
    'lancedb typer fastapi pydantic langchain tanstack-start inkscape tailwindcss ' +
    'shadcn-ui tanstack-query drizzle-orm fastembed webcontainer opencode cloudflare bun'
  const known = new Map(sources)
  expect(names.split(' ').filter((name) => !known.has(name))).toEqual([])
  expect(known.get('fastapi')!.docs_paths).toEqual(['docs/en/docs'])
})

test('contains only sources that og reads without asking', async () => {
  for (const [library, entry] of sources) {
    const source = parseSourceEntry(entry, { what: library, folder: '/none', home: '/none' })
    expect(await reasonToConfirm(source, '/none', async () => ['140.82.121.3'])).toBe(null)
  }
})
