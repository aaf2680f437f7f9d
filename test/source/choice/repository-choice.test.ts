import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { chooseForRepository } from '../../../src/source/choice/repository-choice.ts'
import { commit, git } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))
const work = join(temp.path, 'heron')
commit(work, { 'README.md': '# Heron\n', 'a.py': '', 'b.py': '', 'c.py': '' })
git(work, 'tag', 'v1.0.0')
commit(work, { 'docs/a.md': '# A\n', 'packages/egret/README.md': '# Egret\n' })
git(temp.path, 'clone', '--quiet', '--bare', work, 'heron.git')
const url = `file://${temp.path}/heron.git`

async function check(
  version: string | null,
  refPath: string | null,
  expected: [string[], string | null],
): Promise<void> {
  const at = refPath === null ? {} : { refPath }
  const source = { kind: 'git_repo' as const, url, docsPaths: [], ...at }
  const choice = await chooseForRepository(source, { version })
  expect(choice.source).toEqual({ ...source, docsPaths: expected[0] })
  expect(choice.how?.replace(url, 'URL') ?? null).toBe(expected[1])
}

test('chooses the folder at the requested version', async () => {
  await check(null, null, [['docs'], 'URL at main: docs (1 page)'])
  await check('1.0', null, [
    ['README.md'],
    'URL at v1.0.0: README.md, because there is no documentation folder',
  ])
  await check(null, 'v1.0.0', [
    ['README.md'],
    'URL at v1.0.0: README.md, because there is no documentation folder',
  ])
})

test('adds the README next to a package', async () => {
  const source = { kind: 'git_repo' as const, url, docsPaths: [] }
  const of = async (directory: string | null) => {
    const choice = await chooseForRepository(source, { version: null, isPackage: true, directory })
    return { ...choice.source, how: choice.how!.replace(url, 'URL') }
  }
  expect(await of(null)).toMatchObject({
    docsPaths: ['docs', 'README.md'],
    how: 'URL at main: docs (1 page) and README.md',
  })
  expect(await of('packages/egret')).toMatchObject({
    docsPaths: ['docs', 'packages/egret/README.md'],
  })
  expect(await of('packages/none')).toMatchObject({ docsPaths: ['docs', 'README.md'] })
})

test('keeps the folder in a URL', () => check(null, 'main/docs', [[], null]))

test('throws if the version is missing', () =>
  expect(
    chooseForRepository({ kind: 'git_repo', url, docsPaths: [] }, { version: '9' }),
  ).rejects.toThrow(/Cannot find tag or branch "9"/))
