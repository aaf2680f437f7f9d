import { expect, test } from 'bun:test'
import {
  isOciAddress,
  isRemoteAddress,
  parseOciAddress,
} from '../../../src/library/pack/pack-address.ts'

test('parses the host, repository and remaining parts of an OCI address', () => {
  const digest = `sha256:${'a1'.repeat(32)}`
  const check = (typed: string, ...parts: string[]) => {
    const [host, repository, reference, file = null] = parts
    expect(parseOciAddress(typed)).toEqual({ host, repository, reference, file } as never)
  }
  check('oci://packs.example/docs', 'packs.example', 'docs', 'latest')
  check('oci://localhost:5000/team/docs:v1.2', 'localhost:5000', 'team/docs', 'v1.2')
  check(`oci://packs.example/docs:v1@${digest}`, 'packs.example', 'docs', digest)
  check('OCI://[::1]:5000/docs#a-1+2.ogpack', '[::1]:5000', 'docs', 'latest', 'a-1+2.ogpack')
  for (const typed of [
    'oci://x',
    'oci:///docs',
    'oci://ann:secret@x/docs',
    'oci://x/a//b',
    'oci://x/a/../b',
    'oci://x/docs@sha256:12',
    'oci://x/docs?a=1',
    `oci://x/${'a'.repeat(50_000)}-`,
  ])
    expect(() => parseOciAddress(typed)).toThrow('it is not an address of an OCI registry')
})

test('recognises web addresses and OCI addresses as remote', () => {
  expect(
    ['http://x/a', 'HTTPS://x', 'oci://x/y', '/a', 'oci', 'file:///a'].filter(isRemoteAddress),
  ).toEqual(['http://x/a', 'HTTPS://x', 'oci://x/y'])
  expect(isOciAddress('https://x/oci://')).toBe(false)
})
