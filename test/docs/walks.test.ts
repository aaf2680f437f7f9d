import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readText, root } from '../support/tidy/source-file.ts'

const page = readText('docs/internals/architecture.md')

/** Returns all files that a file loads, including lazy imports and workers. */
function loaded(path: string): string[] {
  const names = [...readText(path).matchAll(/(?:from |import\(|new URL\()'(\.[^']+)'/g)]
  return names.map(([, name]) => join(path, '..', name!))
}

/** Every command starts with these files; the lists of the document continue from there. */
const firstFiles = [
  'src/main.ts',
  'src/cli/context.ts',
  'src/cli/run.ts',
  'src/cli/commands/all.ts',
]

function walk(title: string): string[] {
  const lines = page.slice(page.indexOf(title)).split('\n\n')[1]!.split('\n')
  const files = lines.flatMap((line) => {
    const named = /^\d+\. (`src\/[\w/-]+\.ts`(?:, )?)+: /.exec(line)?.[0]
    return [...(named ?? line).matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, path]) => path!)
  })
  return [...firstFiles, ...files]
}

function check(title: string, most: number): void {
  test(`each file of the walk exists and is loaded by an earlier one: ${title}`, () => {
    const files = walk(title)
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const alone = files.slice(1).filter(
      (path, i) =>
        !files
          .slice(0, i + 1)
          .flatMap(loaded)
          .includes(path),
    )
    expect(alone).toEqual([])
    expect(title).toContain(`, ${files.length} files:`)
    expect(files.length).toBeLessThanOrEqual(most)
  })
}

test('the document names the first files of every command', () => {
  expect(firstFiles.filter((path) => !page.includes(`\`${path}\``))).toEqual([])
})

const most = [25, 21, 16, 18]
const titles = [...page.matchAll(/^`og .*, \d+ files:$/gm)].map(([title]) => title)
test('each walk has a limit on its number of files', () => expect(titles).toHaveLength(most.length))
titles.forEach((title, i) => check(title, most[i]!))

test('the order of folders in the document is the order that the test enforces', () => {
  const imports = readText('test/support/tidy/imports.ts')
  const line = /const line = \[(.*?)\n\]/s.exec(imports)![1]!
  const folders = [...line.matchAll(/'([\w-]+)'/g)].map(([, name]) => name!)
  const written = [...page.match(/^`main → .*`$/m)![0].matchAll(/[\w-]+/g)]
  expect(written.map(([name]) => name)).toEqual(folders)
})
