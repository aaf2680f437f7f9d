/** Tests `og get`, and the same operation for agents, with addresses in the forms that users have. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'

const cors =
  '# CORS\n\nOrigins.\n\n## Use `CORSMiddleware`\n\nAdd it.\n\n### Options\n\nMany.\n\n## Next\n\nEnd.\n'
const section = cors.slice(cors.indexOf('## Use'), cors.indexOf('## Next'))

test('gets a page by its path, by its address in a browser, and by one of its headings', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  mkdirSync(join(docs, 'tutorial'), { recursive: true })
  writeFileSync(join(docs, 'tutorial', 'cors.md'), cors)
  writeFileSync(join(docs, 'index.md'), '# Start\n\nHere.\n')
  const base = 'https://docs.example'
  await world.og(['add', 'fast', '-s', docs, '-v', '1', '--base-url', base])
  for (const typed of [
    'tutorial/cors.md',
    'tutorial/cors',
    `${base}/tutorial/cors/`,
    `${base}/tutorial/cors.html?a=b`,
    `${base}/tutorial/cors.md?plain=1`,
  ]) {
    await world.check(['get', typed], { stdout: cors })
  }
  for (const anchor of ['use-corsmiddleware', 'Use CORSMiddleware', 'use-corsmiddleware/']) {
    await world.check(['get', `tutorial/cors.md#${anchor}`, '-l', 'fast'], { stdout: section })
  }
  await world.check(['get', 'tutorial/cors.md#next', '--lines', '3'], { stdout: 'End.\n' })
  await world.check(['get', 'tutorial/cors.md#use-corsmidleware'], {
    exitCode: 1,
    stderr:
      `error: No heading "use-corsmidleware" in ${base}/tutorial/cors.md\n` +
      'hint: the nearest: tutorial/cors.md#use-corsmiddleware\n',
  })
  await world.check(['get', 'tutorial/crs.md'], {
    exitCode: 1,
    stderr:
      'error: No page has the address "tutorial/crs.md"\n' +
      `hint: the nearest: ${base}/tutorial/cors.md\n`,
  })
  const json = await world.json(['get', 'cors.md#options', '--json'])
  expect(json).toMatchObject({
    url: `${base}/tutorial/cors.md`,
    anchor: 'options',
    heading: 'CORS > Use CORSMiddleware > Options',
    text: '### Options\n\nMany.\n\n',
  })
})

test('prints several pages and names in one call, and reports each missing one', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  for (const folder of [docs, join(docs, 'kit')]) mkdirSync(folder)
  writeFileSync(join(docs, 'cors.md'), cors)
  writeFileSync(join(docs, 'pyproject.toml'), '')
  const code = 'def wick(size: int) -> None:\n    """Light it."""\n'
  writeFileSync(join(docs, 'kit', '__init__.py'), code)
  await world.og(['add', 'fast', '-s', docs, '-v', '1', '--api', 'with'])
  const wick = '```python\ndef wick(size: int) -> None\n```\n\nLight it.\n'
  const next = '==> cors#next <==\n## Next\n\nEnd.\n'
  const [urls, missing] = [['kit.wick', 'cors#next', 'wick', 'cors#next'], 'wickk']
  const stdout = `## \`kit.wick\`\n\n${wick}\n${next}`
  await world.check(['get', ...urls, '-l', 'fast'], { stdout })
  await world.check(['get', missing, ...urls, 'nothing', '-l', 'fast'], {
    exitCode: 1,
    stdout,
    stderr:
      'error: No page has the address "wickk" in library "fast"\n' +
      'hint: the nearest: kit.wick\n' +
      'error: No page has the address "nothing" in library "fast"\n' +
      'hint: og get fast lists the pages\n',
  })
  const json = await world.json(['get', missing, 'cors#next', '-l', 'fast', '--json'])
  expect(json).toMatchObject([
    { found: false, url: missing, nearest: ['kit.wick'] },
    { found: true, anchor: 'next', text: '## Next\n\nEnd.\n' },
  ])
  await world.check(['get', 'cors#next', 'kit.wick', '--lines', '5-'], {
    exitCode: 1,
    stdout: '==> kit.wick <==\n```\n\nLight it.\n',
    stderr: 'error: No lines 5-: the section ends before\n',
  })
})

test('og get suggests similar pages if a page does not exist', async () => {
  await using world = await createWorld()
  mkdirSync(join(world.folder, 'docs', 'node_modules'), { recursive: true })
  writeFileSync(join(world.folder, 'docs', 'a.md'), '# A\n\nText.\n')
  const added = await world.og(['add', 'a', '-s', join(world.folder, 'docs'), '-v', '1'])
  expect(added.stdout).toContain('(1 of folders named node_modules, which are not read)')
  const { exitCode, stderr } = await world.og(['get', 'doc:/none'])
  expect(exitCode).toBe(1)
  expect(stderr).toStartWith('error: No page has the address "doc:/none"')
  await world.check(['get', 'none', '-l', 'a'], {
    exitCode: 1,
    stderr:
      'error: No page has the address "none" in library "a"\nhint: og get a lists the pages\n',
  })
  await world.check(['get', 'A'], { stdout: '- A [a]\n' })
  await world.check(['get', 'a@1'], { stdout: '- A [a]\n' })
})
