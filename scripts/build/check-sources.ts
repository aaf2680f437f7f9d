/**
 * Checks the bundled sources: each repository is reachable, and each docs path has pages that og
 * reads. Prints a line for each library, with its default branch and the number of version tags.
 * Exits with 1 if a docs path has no pages. A repository that cannot be reached is reported and is
 * no failure.
 *
 * usage: node scripts/setup.mjs scripts/build/check-sources.ts [--copies FOLDER] [NAME…]
 * FOLDER has copies of repositories at OWNER+NAME/repo, which are used instead of the network.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundledSources } from '../../src/library/sources/source-list.ts'
import { selectPaths } from '../../src/source/select/select.ts'

const { values, positionals } = parseArgs({
  options: { copies: { type: 'string' } },
  allowPositionals: true,
})

let isBroken = false
for (const [library, entry] of bundledSources()) {
  if (positionals.length > 0 && !positionals.includes(library)) continue
  const { repo_url: url, docs_paths: paths } = entry as { repo_url: string; docs_paths: string[] }
  const found = inRepository(url, (folder) => inspect(folder, paths))
  if ('reason' in found) console.log(`${library}: not checked: ${found.reason}`)
  else {
    const { branch, tags, pages, missing } = found
    const fault = missing.length > 0 ? `; no pages in ${missing.join(', ')}` : ''
    console.log(`${library}: ${pages} pages, branch ${branch}, ${tags} version tags${fault}`)
    isBroken ||= missing.length > 0
  }
}
process.exitCode = isBroken ? 1 : 0

type Unchecked = { reason: string }

/** Calls `use` with the git folder of a repository: a copy, or a clone without file contents. */
function inRepository<T>(url: string, use: (folder: string) => T): T | Unchecked {
  const [owner, name] = url
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
  const copy = values.copies && join(values.copies, `${owner}+${name}`, 'repo')
  if (copy && existsSync(copy)) return use(copy)
  if (copy) return { reason: `${copy} is missing` }
  const folder = mkdtempSync(join(tmpdir(), 'og-sources-'))
  try {
    const { status, stderr } = git(
      'clone',
      '--bare',
      '--depth=1',
      '--filter=blob:none',
      url,
      folder,
    )
    if (status !== 0) return { reason: stderr.trim().split('\n').at(-1) ?? 'git failed' }
    git(
      '--git-dir',
      folder,
      'fetch',
      '--depth=1',
      '--filter=tree:0',
      'origin',
      'refs/tags/*:refs/tags/*',
    )
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function inspect(folder: string, docsPaths: string[]) {
  const lines = (...args: string[]) =>
    git('--git-dir', folder, ...args)
      .stdout.split(args.includes('-z') ? '\0' : '\n')
      .filter((line) => line !== '')
  const all = lines('ls-tree', '-r', '-z', '--name-only', 'HEAD')
  const pagesIn = (paths: string[]) => selectPaths(all, paths, { languages: ['en'] }).chosen.length
  return {
    branch: lines('rev-parse', '--abbrev-ref', 'HEAD')[0] ?? '?',
    tags: lines('tag').filter((tag) => /\d+\.\d+/.test(tag)).length,
    pages: pagesIn(docsPaths),
    missing: docsPaths.filter((path) => pagesIn([path]) === 0),
  }
}

function git(...args: string[]) {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' }
  return spawnSync('git', args, { encoding: 'utf8', env, maxBuffer: 2 ** 28, timeout: 300_000 })
}
