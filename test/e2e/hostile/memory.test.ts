/**
 * No single input may make all processes of a command use more than 700 MB. Some tests use half or
 * a quarter of a large input and a lower limit, which takes less time.
 */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { createWorld, type Ran, type World } from '../../support/e2e.ts'
import { hostilePages, writeHostile } from '../../support/pack/hostile.ts'
import { residentBytes } from '../../support/resident.ts'
import { tarOf } from '../../support/pages/tar.ts'

const mostBytes = 700e6
const mostOfHalf = 600e6
/** A quarter needs 260 to 330 MB. */
const mostOfQuarter = 440e6

/** Adds a source, and checks the number of pages and the memory usage. */
async function check(
  world: World,
  path: string,
  { docs, most, ...expected }: { pages: number; docs?: string; most?: number },
): Promise<void> {
  const selected = docs === undefined ? [] : ['-d', docs]
  const typed = ['add', 'large', '-s', path, '-v', '1', '--json', ...selected]
  const { stdout, stderr } = await measured(world, typed, most)
  expect({ failed: stderr, ...JSON.parse(stdout || '{}') }).toMatchObject({
    failed: [],
    ...expected,
  })
}

/**
 * Runs og and checks its memory usage. On a busy machine og may reject a bad pack before its memory
 * is measured, and then runs again.
 */
async function measured(world: World, typed: string[], most = mostBytes): Promise<Ran> {
  const running = world.start(typed)
  let peak = 0
  const watch = setInterval(() => void (peak = Math.max(peak, residentBytes(running.pid))), 2)
  const ended = await running.ended
  clearInterval(watch)
  if (peak <= 20e6 && ended.exitCode === 2) return measured(world, typed, most)
  expect(peak).toBeGreaterThan(20e6)
  expect(peak).toBeLessThan(most)
  return ended
}

test.each(['wholePage', 'characters', 'headings'] as const)(
  'limits memory for a small pack that would become large: %s',
  async (name) => {
    await using world = await createWorld()
    const path = writeHostile(join(world.folder, 'x.ogpack'), hostilePages[name]())
    for (const typed of [
      ['pack', '--check', path],
      ['add', '--trust', path],
    ]) {
      expect((await measured(world, typed)).stderr).toMatch(/^error: Cannot use pack "[^\n]*\n$/)
    }
  },
)

const pages = (count: number) =>
  Array.from(
    { length: count },
    (_, i) =>
      [
        `docs/d${i % 100}/p${i}.md`,
        `# Page ${i}\n\nText number ${i} of topic ${i * 31}.\n`,
      ] as const,
  )

test('limits memory for a tar archive of very many pages', async () => {
  await using world = await createWorld()
  const path = join(world.folder, 'many.tar')
  writeFileSync(path, tarOf(pages(15_000)))
  await check(world, path, { pages: 15_000, most: mostOfQuarter })
})

// Only the directory of a ZIP archive is read in another way than a tar archive. The pages of both
// are stored by the same code.
test('limits memory for the directory of a ZIP archive of very many pages', async () => {
  await using world = await createWorld()
  const path = join(world.folder, 'many.zip')
  const files = pages(60_000).map(([name, text]) => [name, Buffer.from(text)])
  writeFileSync(path, zipSync(Object.fromEntries(files), { level: 0 }))
  await check(world, path, { pages: 600, docs: 'd7' })
})

const paragraph = '<p>Words of text, and so on, again and again. </p>\n'

test.each([
  ['a.mdx', 'a\n'.repeat(1_000_000)],
  ['b.html', `<html><body><main>${paragraph.repeat(35_000)}</main></body></html>`],
])('limits memory for a page that is expensive to parse: %s', async (name, text) => {
  await using world = await createWorld()
  const folder = join(world.folder, 'docs')
  mkdirSync(folder)
  writeFileSync(join(folder, name), text)
  await check(world, folder, { pages: 1, most: mostOfQuarter })
})

test('limits memory for pages of very many lines', async () => {
  await using world = await createWorld()
  const folder = join(world.folder, 'docs')
  mkdirSync(folder)
  const lines = 'a\n'.repeat(1_000_000)
  for (const name of ['a.adoc', 'b.rst', 'c.md']) writeFileSync(join(folder, name), lines + name)
  await check(world, folder, { pages: 3, most: mostOfHalf })
})

test('limits memory for a header that nests too deeply', async () => {
  await using world = await createWorld()
  const folder = join(world.folder, 'lamps')
  mkdirSync(join(folder, 'include'), { recursive: true })
  writeFileSync(join(folder, 'a.md'), '# Lamps\n\nLight them.\n')
  writeFileSync(join(folder, 'include/deep.h'), '('.repeat(7 * 2 ** 20))
  writeFileSync(join(folder, 'include/lamp.h'), '/** Lights it. */\nint lamp_on(void);\n')
  await check(world, folder, { pages: 2 })
})
