import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesOf, readText } from '../support/tidy/source-file.ts'

const pages = filesOf('{*,docs/**/*,native/*,test/*/*}.md', '*')

test('every link of every document leads to an existing file and heading', () => {
  expect(pages.length).toBeGreaterThan(10)
  expect(broken('docs/a/b.md', '[x](../../README.md#nowhere) [y](gone.md)')).toEqual([
    'docs/a/b.md: ../../README.md#nowhere',
    'docs/a/b.md: gone.md',
  ])
  expect(broken('README.md', '`[x](gone.md)` [y](#a-b)\n## A `b`?\n```\n[z](no.md)\n```')).toEqual(
    [],
  )
  const badge = '[![x](../../actions/workflows/gone.yml/badge.svg)](../../actions/workflows/ci.yml)'
  expect(broken('README.md', badge)).toHaveLength(1)
  expect(pages.flatMap((path) => broken(path, readText(path)))).toEqual([])
})

test('every document named in code and documents exists', () => {
  const naming = [...pages, ...filesOf('{src,scripts}/**/*.ts'), 'Dockerfile']
  const named = naming.flatMap((path) => {
    const names = readText(path).match(/\bdocs\/(internals|guide|reference|parity)\/[\w-]+\.md/g)
    return (names ?? []).map((name) => ({ path, name }))
  })
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ name }) => !existsSync(join(root, name)))).toEqual([])
})

const root = join(import.meta.dir, '../..')

function broken(path: string, text: string): string[] {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
  const own = links.filter((link) => !/^[a-z]+:/.test(link))
  return own.filter((link) => !leads(link, { path, text })).map((link) => `${path}: ${link}`)
}

/** Also accepts the address of a workflow's page, which GitHub serves under the same host. */
function leads(link: string, from: { path: string; text: string }): boolean {
  const [file = '', heading] = link.split('#')
  const [, workflow] =
    /^\.\.\/\.\.\/actions\/workflows\/([\w.-]+)(?:\/badge\.svg)?$/.exec(file) ?? []
  if (workflow) return existsSync(join(root, '.github/workflows', workflow))
  const path = file === '' ? from.path : join(dirname(from.path), file)
  if (file !== '' && !existsSync(join(root, path))) return false
  if (heading === undefined) return true
  return anchors(file === '' ? from.text : readText(path)).includes(heading)
}

/** Returns the anchors that GitHub gives headings. */
function anchors(text: string): string[] {
  return [...withoutFences(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function prose(text: string): string {
  return withoutFences(text).replace(/`[^`\n]*`/g, '')
}

function withoutFences(text: string): string {
  return text.replace(/^( *)```.*?^\1```$/gms, '')
}
