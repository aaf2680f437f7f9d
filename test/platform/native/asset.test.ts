import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../package.json'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { findFrames } from '../../../src/platform/native/asset.ts'
import { openEach } from '../../support/run/dispose.ts'

const content = Buffer.from('the frames of a library')
const asset = { name: 'onnx.zst', sizeBytes: content.length, sha256: sha256(content) }
const file = { name: 'lib.so', path: '', sizeBytes: 1, sha256: '', parts: [], asset }

const temp = openEach(() => createTempFolder('og asset'))
const root = () => join(temp().path, 'natives')
const cached = () => join(temp().path, 'assets', asset.name)

afterEach(() => {
  delete process.env.OG_UPDATE_URL
})

test('names the missing file and the folder for it if nothing may be downloaded', async () => {
  const hint = `take it from the release of og ${version} and put it into ${temp().path}/assets`
  const noUrl = findFrames(file, { root: root() })
  expect(noUrl).rejects.toThrow(/needs onnx\.zst, and this build has no release URL/)
  expect(noUrl).rejects.toMatchObject({ hint })
  process.env.OG_UPDATE_URL = 'http://127.0.0.1:1'
  expect(findFrames(file, { root: root(), offline: true })).rejects.toThrow(/and og is offline/)
})

test('uses a file that the user put into the folder only if its hash is right', async () => {
  mkdirSync(join(temp().path, 'assets'))
  writeFileSync(cached(), 'another file')
  expect(findFrames(file, { root: root() })).rejects.toThrow(/needs onnx\.zst/)
  writeFileSync(cached(), content)
  expect(await findFrames(file, { root: root(), offline: true })).toBe(cached())
})

test('downloads the file from the release of this version', async () => {
  const asked: string[] = []
  using server = Bun.serve({
    port: 0,
    fetch({ url }) {
      asked.push(new URL(url).pathname)
      return new Response(content)
    },
  })
  process.env.OG_UPDATE_URL = `http://127.0.0.1:${server.port}/`
  expect(await findFrames(file, { root: root() })).toBe(cached())
  expect(readFileSync(cached())).toEqual(content)
  expect(asked).toEqual([`/download/v${version}/onnx.zst`])
})

test('returns the bundled path of a file without an asset', async () => {
  const { asset: _, ...bundled } = { ...file, path: '/inside' }
  expect(await findFrames(bundled, { root: root() })).toBe('/inside')
})
