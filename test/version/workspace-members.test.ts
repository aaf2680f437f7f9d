import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { memberFolders } from '../../src/version/project.ts'
import { writeFiles, type Files } from '../support/repository.ts'

let temp: TempFolder
beforeEach(async () => void (temp = await createTempFolder('og-members')))
afterEach(async () => temp[Symbol.asyncDispose]())

async function check(files: Files, folders: string, expected: string): Promise<void> {
  const kept = folders.split(' ').map((folder) => [`${folder}/.keep`, ''])
  writeFiles(temp.path, { ...files, ...Object.fromEntries(kept) })
  expect((await memberFolders(temp.path)).join(' ')).toBe(expected)
}

test('reads the patterns of npm and pnpm', async () => {
  const file = JSON.stringify({
    workspaces: { packages: ['apps/*', './{tools,lib}', 'a/**/end', '/'] },
  })
  await check(
    {
      'package.json': file,
      'pnpm-workspace.yaml':
        "# why\npackages:\n  # all\n  - 'packages/*' # note\n  - '!packages/old'\ncatalog:\n  - x\n",
    },
    'apps/web apps/node_modules apps/.hidden tools packages/ui packages/old a/b/c/end a/end x',
    'a/b/c/end a/end apps/web packages/ui tools',
  )
})

test('reads the members of Cargo, uv, Go, Maven and Gradle', async () => {
  await check(
    {
      'Cargo.toml': '[workspace]\nmembers = ["crates/ax-*"]\nexclude = ["crates/ax-old"]\n',
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["libs/*"]\n',
      'go.work': 'go 1.24\n\nuse ./one // three\nuse (\n\t./two // three\n\t.\n)\n',
      'pom.xml': '<project><modules><module>core</module><module>gone</module></modules></project>',
      'settings.gradle.kts': 'include(\n  ":app",\n  ":libs:net"\n)\ninclude(":cli")\n',
      'settings.gradle': "include ':groovy', 'more'\nincludeBuild('tool')\n",
    },
    'crates/ax-a crates/ax-old crates/bx libs/net one two three core app cli groovy more tool',
    'app cli core crates/ax-a groovy libs/net more one two',
  )
})

test('reads a go.work of unclosed lists in linear time', async () => {
  await check({ 'go.work': 'use (\n'.repeat(300_000) }, 'a', '')
})

test('reads nothing outside the folder, and ignores a broken file', async () => {
  writeFiles(temp.path, { link: { link: '/etc' } })
  await check(
    {
      'package.json': '{"workspaces": ["../*", "a/../../b", "link", "/etc/*", "ok", 3]}',
      'Cargo.toml': '[workspace\n',
    },
    'ok',
    'ok',
  )
})
