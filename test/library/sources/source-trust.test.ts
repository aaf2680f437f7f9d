import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ListedSource } from '../../../src/library/sources/source-list.ts'
import {
  isTrusted,
  reasonToConfirm,
  trustProject,
} from '../../../src/library/sources/source-trust.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

const hosts: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'intranet.example': ['10.1.2.3'],
  'both.example': ['93.184.216.34', '127.0.0.1'],
}

const lookup = async (host: string) => hosts[host] ?? Promise.reject(new Error('not found'))

/** Checks whether a project's file may name this source without confirmation. */
async function check(source: ListedSource, expected: string | null, project = '/project') {
  expect(await reasonToConfirm(source, project, lookup)).toBe(expected)
}

const git = (url: string): ListedSource => ({ kind: 'git_repo', url, docsPaths: [] })
const local = (path: string): ListedSource => ({ kind: 'local_path', path })

describe('confirmation', () => {
  test('asks before it reads hosts on private networks, by number, by name and by address (W-63)', async () => {
    await check(git('https://public.example/r.git'), null)
    await check(git('git@public.example:r.git'), null)
    await check(git('ssh://git@public.example/r.git'), null)
    await check(git('https://unknown.example/r.git'), null)
    for (const [url, host] of [
      ['https://10.0.0.1/r.git', '10.0.0.1'],
      ['http://127.0.0.1:3000/r.git', '127.0.0.1'],
      ['http://169.254.169.254/r.git', '169.254.169.254'],
      ['http://[::1]/r.git', '::1'],
      ['http://[::ffff:10.0.0.1]/r.git', '::ffff:a00:1'],
      ['http://0x7f.1/r.git', '127.0.0.1'],
      ['git://2130706433/r.git', '127.0.0.1'],
      ['ssh://git@[fd00::1]/r.git', 'fd00::1'],
      ['git@192.168.0.7:r.git', '192.168.0.7'],
      ['git@[fe80::1]:r.git', 'fe80::1'],
      ['git@forge:r.git', 'forge'],
      ['https://localhost/r.git', 'localhost'],
      ['https://git.corp.internal/r.git', 'git.corp.internal'],
      ['https://router.lan./r.git', 'router.lan'],
      ['http://100.64.0.1/r', '100.64.0.1'],
    ] as const)
      await check(git(url), `"${host}" is on a private network`)
    await check(
      git('https://intranet.example/r.git'),
      '"intranet.example" (10.1.2.3) is on a private network',
    )
    await check(
      git('https://both.example/r.git'),
      '"both.example" (127.0.0.1) is on a private network',
    )
    await check(
      {
        kind: 'sitemap',
        url: 'http://intranet.example/sitemap.xml',
        filterKeywords: [],
        exclude: [],
        languages: [],
        trimQueryParams: false,
      },
      '"intranet.example" (10.1.2.3) is on a private network',
    )
  })

  test('asks before it reads repositories on this disk', async () => {
    await check(git('/project/r.bundle'), '"/project/r.bundle" is a repository on this disk')
    await check(git('file:///project'), '"file:///project" is a repository on this disk')
  })

  test('asks before it reads folders outside the project, even through a link (W-62)', async () => {
    await using temp = await createTempFolder('og-trust')
    const project = join(temp.path, 'project')
    mkdirSync(join(project, 'docs'), { recursive: true })
    mkdirSync(join(temp.path, 'project-2'))
    symlinkSync(temp.path, join(project, 'out'))
    symlinkSync('docs', join(project, 'in'))
    for (const inside of ['docs', 'in', '.', 'none']) {
      await check(local(join(project, inside)), null, project)
    }
    for (const outside of ['..', 'out', '../project-2', '/etc']) {
      const path = outside.startsWith('/') ? outside : join(project, outside)
      await check(local(path), `"${path}" is outside the project`, project)
    }
  })
})

test('trusts a project under any of its paths, until trust is revoked', async () => {
  await using temp = await createTempFolder('og-trust')
  const [lists, project, link] = ['lists', 'project', 'link'].map((name) => join(temp.path, name))
  mkdirSync(project!)
  symlinkSync(project!, link!)
  expect(await isTrusted(lists!, project!)).toBe(false)
  await trustProject(lists!, link!)
  await trustProject(lists!, temp.path)
  expect(await isTrusted(lists!, project!)).toBe(true)
  expect(await isTrusted(lists!, link!)).toBe(true)
  const path = join(lists!, 'trusted.json')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ folders: [temp.path, project!] })
  await trustProject(lists!, project!, { revoke: true })
  expect(await isTrusted(lists!, link!)).toBe(false)
  writeFileSync(path, '{')
  expect(isTrusted(lists!, project!)).rejects.toThrow('Cannot read')
  expect(trustProject(lists!, join(temp.path, 'none'))).rejects.toThrow('Cannot trust')
})
