import { expect, test } from 'bun:test'
import { crateRelatives, relativeAddress } from '../../../src/source/api/crate-relatives.ts'

test('finds dependencies whose names extend the name of the crate', async () => {
  const manifest = `
[package]
name = "lamp"
version = "1.2.0"
[dependencies.lamp_core]
version = "=1.2.3"
[dependencies]
lamp-derive = { version = "1.2.0", optional = true }
alias = { package = "lamp-oil", version = "0.3.1" }
lampshade = "1.0.0"
lamp_range = ">=1, <2"
"lamp_../x" = "1.0.0"
`
  const { name, version, relatives } = await crateRelatives(manifest)
  expect([name, version]).toEqual(['lamp', '1.2.0'])
  expect(relatives).toEqual([
    { name: 'lamp_core', version: '1.2.3' },
    { name: 'lamp-derive', version: '1.2.0' },
    { name: 'lamp-oil', version: '0.3.1' },
  ])
  expect((await crateRelatives('no = [toml')).relatives).toEqual([])
})

test('replaces the name and version in the URL of an archive', () => {
  const own = { name: 'lamp', version: '1.2.0' }
  const core = { name: 'lamp_core', version: '1.2.3' }
  const check = (url: string, expected: string | null) =>
    expect(relativeAddress(url, own, core)).toBe(expected)
  check(
    'https://x.dev/crates/lamp/lamp-1.2.0.crate',
    'https://x.dev/crates/lamp_core/lamp_core-1.2.3.crate',
  )
  check('https://x.dev/api/lamp/1.2.0/download', 'https://x.dev/api/lamp_core/1.2.3/download')
  check('/tmp/lamp-1.2.0.tar.gz', '/tmp/lamp_core-1.2.3.tar.gz')
  check('/src/index-1/lamp-1.2.0', '/src/index-1/lamp_core-1.2.3')
  check('/project/vendor/lamp', '/project/vendor/lamp_core')
  check('https://x.dev/lamp.crate', null)
})
