import { expect, test } from 'bun:test'
import { extract, pack, type Header } from 'tar-stream'
import { readTarHeader, tarEnd, tarHeader, tarPadding } from '../../../src/library/pack/tar.ts'

const contents = { 'manifest.json': 'x', [`${'a'.repeat(64)}.zst`]: 'y'.repeat(512), z: '' }

test('writes archives that another tar program can read', async () => {
  const reader = extract()
  reader.end(
    Buffer.concat([
      ...Object.entries(contents).flatMap(([name, text]) => [
        tarHeader(name, text.length),
        Buffer.from(text),
        tarPadding(text.length),
      ]),
      tarEnd,
    ]),
  )
  const found: Record<string, string> = {}
  for await (const entry of reader) {
    found[entry.header.name] = Buffer.concat(
      await Array.fromAsync(entry as AsyncIterable<Uint8Array>),
    ).toString()
  }
  expect(found).toEqual(contents)
})

test('reads a plain file that another tar program wrote', async () => {
  for (const [name, text] of Object.entries(contents)) {
    expect(readTarHeader(await written({ name, mtime: new Date(), uid: 7 }, text))).toEqual({
      name,
      size: text.length,
    })
  }
})

test('rejects every other kind of tar member', async () => {
  const plain = 'it contains entries that are not plain files'
  await check(plain, { name: 'x', type: 'symlink', linkname: '/etc/passwd' })
  await check(plain, { name: 'x', type: 'link', linkname: 'y' })
  await check(plain, { name: 'x', type: 'directory' })
  await check(plain, { name: 'x', type: 'fifo' })
  // A longer name needs an additional header or a prefix.
  await check(plain, { name: `${'d'.repeat(90)}/${'e'.repeat(90)}` })
  await check(plain, { name: 'é'.repeat(90) })
  const header = tarHeader('x', 1)
  refuse('it is cut off', header.subarray(0, 511))
  refuse('it is not a tar archive', Buffer.alloc(512))
  refuse('it is not a tar archive', Buffer.alloc(512, 0xff))
  for (const at of [0, 124, 150, 156, 500]) {
    const damaged = Buffer.from(header)
    damaged[at]! ^= 1
    refuse('a header of the tar is damaged', damaged)
  }
})

async function written(header: Partial<Header> & { name: string }, text = ''): Promise<Buffer> {
  const writer = pack()
  writer.entry(header, text)
  writer.finalize()
  return Buffer.concat(await Array.fromAsync(writer as AsyncIterable<Uint8Array>)).subarray(0, 512)
}

async function check(expected: string, header: Partial<Header> & { name: string }): Promise<void> {
  refuse(expected, await written(header))
}

function refuse(expected: string, header: Buffer): void {
  expect(() => readTarHeader(header)).toThrow(expected)
}
