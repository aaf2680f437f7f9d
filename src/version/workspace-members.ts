import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readTextFile } from '../platform/file/read-file.ts'
import { objectOf, parseJsonOrUndefined } from '../platform/json.ts'

/** Limit of the folders that are listed to find the members of a workspace. */
const maxListed = 5_000

/**
 * Returns the folders of the members of the workspace in a folder, relative and `/`-separated, as
 * its manifests name them. Skips folders outside, hidden folders, `node_modules` and links.
 */
export async function memberFolders(folder: string): Promise<string[]> {
  const found = new Set<string>()
  const tree: Tree = { top: folder, listed: new Map() }
  for (const [name, patternsIn] of Object.entries(workspaceFiles)) {
    const text = await readTextFile(join(folder, name), { limitMb: 2 }).catch(() => null)
    if (text === null) continue
    // A file that does not parse is reported when its dependencies are read.
    const patterns = await Promise.try(patternsIn, text).catch(() => [])
    const [excluding, including] = [true, false].map((isExcluded) =>
      patterns.filter((it) => it.startsWith('!') === isExcluded).map(partsOf),
    )
    const excluded = new Set((await Promise.all(excluding!.map((it) => expand(it, tree)))).flat())
    for (const parts of including!) {
      for (const member of await expand(parts, tree)) {
        if (!excluded.has(member)) found.add(member)
      }
    }
  }
  found.delete('')
  return [...found].sort()
}

const workspaceFiles: Readonly<Record<string, (text: string) => Promise<string[]> | string[]>> = {
  'package.json'(text) {
    const { workspaces } = objectOf(parseJsonOrUndefined(text))
    return texts(Array.isArray(workspaces) ? workspaces : objectOf(workspaces).packages)
  },
  'pnpm-workspace.yaml'(text) {
    const [, list = ''] = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*)/m.exec(text) ?? []
    return Array.from(list.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\s]+)/gm), ([, item]) => item!)
  },
  'Cargo.toml': async (text) => membersOf((await toml(text)).workspace),
  'pyproject.toml': async (text) =>
    membersOf(objectOf(objectOf(objectOf((await toml(text)).tool).uv).workspace)),
  'go.work'(text) {
    const uncommented = text.replace(/\/\/.*/g, '')
    const [, block = ''] = /^use[ \t]*\(([^()]*)\)/m.exec(uncommented) ?? []
    const single = uncommented.matchAll(/^use[ \t]+([^(\s]+)/gm)
    return [...block.split(/\s+/), ...Array.from(single, ([, path]) => path!)].filter(Boolean)
  },
  'pom.xml': (text) => Array.from(text.matchAll(/<module>\s*([^<\s]+)/g), ([, path]) => path!),
  'settings.gradle': gradleModules,
  'settings.gradle.kts': gradleModules,
}

function membersOf(workspace: unknown): string[] {
  const { members, exclude } = objectOf(workspace)
  return [...texts(members), ...texts(exclude).map((pattern) => `!${pattern}`)]
}

function gradleModules(text: string): string[] {
  const [, ...calls] = text.split(/^[ \t]*include\b(?=[ \t(])/m)
  return calls.flatMap((call) => {
    const list = call.trimStart().startsWith('(') ? call.split(')', 1)[0]! : call.split('\n', 1)[0]!
    const paths = list.matchAll(/["']:?([^"'\n]+)["']/g)
    return Array.from(paths, ([, path]) => path!.replaceAll(':', '/'))
  })
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

async function toml(text: string): Promise<Record<string, unknown>> {
  const { parse } = await import('smol-toml')
  return parse(text)
}

function partsOf(pattern: string): string[] {
  return pattern
    .replace(/^!/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
}

type Tree = { top: string; listed: Map<string, Promise<string[]>> }

async function expand(parts: readonly string[], tree: Tree): Promise<string[]> {
  let folders = new Set([''])
  for (const part of parts) {
    if (part === '..') return []
    const next = new Set<string>()
    for (const folder of folders) {
      for (const found of await step(folder, part, tree)) next.add(found)
    }
    folders = next
  }
  return [...folders]
}

async function step(folder: string, part: string, tree: Tree): Promise<string[]> {
  const below = (name: string) => (folder === '' ? name : `${folder}/${name}`)
  const names = await list(folder, tree)
  if (part !== '**') return names.filter(matcherOf(part)).map(below)
  const deeper = names.map((name) => step(below(name), part, tree))
  return [folder, ...(await Promise.all(deeper)).flat()]
}

function matcherOf(part: string): (name: string) => boolean {
  if (!/[*?[{]/.test(part)) return (name) => name === part
  const glob = new Bun.Glob(part)
  return (name) => glob.match(name)
}

function list(folder: string, { top, listed }: Tree): Promise<string[]> {
  const known = listed.get(folder)
  if (known !== undefined) return known
  if (listed.size >= maxListed) return Promise.resolve([])
  const names = readdir(join(top, folder), { withFileTypes: true }).then(
    (entries) =>
      entries
        .filter((it) => it.isDirectory() && !it.name.startsWith('.') && it.name !== 'node_modules')
        .map(({ name }) => name),
    () => [],
  )
  listed.set(folder, names)
  return names
}
