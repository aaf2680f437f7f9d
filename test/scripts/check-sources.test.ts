import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { commit, git, type Files } from '../support/repository.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

/** Checks one library whose repository has these files; null means that there is no copy of it. */
async function check(library: string, repository: string, files: Files | null) {
  if (files !== null) {
    const made = join(temp.path, 'made', library)
    commit(made, files)
    git(made, 'clone', '--quiet', '--bare', made, join(temp.path, repository, 'repo'))
  }
  const script = join(import.meta.dir, '../../scripts/build/check-sources.ts')
  const command = [process.execPath, script, '--copies', temp.path, library]
  const child = Bun.spawn(command, { stdout: 'pipe' })
  return [await new Response(child.stdout).text(), await child.exited]
}

test('counts the pages of a copy, and names docs paths without pages', async () => {
  expect(await check('click', 'pallets+click', { 'docs/index.rst': 'Click' })).toEqual([
    'click: 1 pages, branch main, 0 version tags\n',
    0,
  ])
  expect(await check('flask', 'pallets+flask', { 'guide/index.rst': 'Flask' })).toEqual([
    'flask: 0 pages, branch main, 0 version tags; no pages in docs\n',
    1,
  ])
})

test('reports a repository that it cannot check, but not as a failure', async () => {
  const [text, exitCode] = await check('jinja', 'pallets+jinja', null)
  expect([text, exitCode]).toEqual([expect.stringContaining('jinja: not checked'), 0])
})
