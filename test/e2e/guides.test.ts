import { expect, test } from 'bun:test'
import { createWorld } from '../support/e2e.ts'
import { isShown, openShell, shownCommands } from '../support/guide.ts'
import { filesOf, readText } from '../support/tidy/source-file.ts'

/**
 * Runs the commands of a document in order and compares each output with the one in the document.
 */
async function check(path: string): Promise<void> {
  await using world = await createWorld({ embeddings: true })
  const run = openShell(world)
  for (const { command, output } of shownCommands(readText(path))) {
    const printed = await run(command)
    if (!isShown(output, printed)) expect([command, ...printed]).toEqual([command, ...output])
  }
}

/**
 * These documents are about a browser, for maintainers, or (README) about a library on the network.
 */
const withoutCommands = ['README.md', 'docs/guide/page.md', 'docs/guide/releasing.md']
const pages = filesOf('README.md', 'docs/guide/*.md').filter(
  (path) => !withoutCommands.includes(path),
)

test.each(pages)('og prints what %s shows', async (path) => {
  expect(shownCommands(readText(path)).length).toBeGreaterThan(1)
  await check(path)
})
