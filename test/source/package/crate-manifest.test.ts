import { expect, test } from 'bun:test'
import { compatibleVersion, crateManifest } from '../../../src/source/package/crate-manifest.ts'

test('finds dependencies whose names extend the name of the crate', async () => {
  const manifest = await crateManifest(`
[package]
name = "lamp"
version = "1.2.0"
[dependencies.lamp_core]
version = "=1.2.3"
[dependencies]
lamp-derive = { version = "1.2", optional = true }
alias = { package = "lamp-oil", version = "0.3.1" }
lampshade = "1.0.0"
lamp_range = ">=1, <2"
lamp_beside = { path = "../beside" }
"lamp_../x" = "1.0.0"
`)
  expect(manifest).toMatchObject({ name: 'lamp', version: '1.2.0' })
  expect(manifest?.relatives).toEqual([
    { name: 'lamp_core', requirement: '=1.2.3' },
    { name: 'lamp-derive', requirement: '1.2' },
    { name: 'lamp-oil', requirement: '0.3.1' },
    { name: 'lamp_range', requirement: '>=1, <2' },
  ])
  expect(await crateManifest('no = [toml')).toBeNull()
})

test('chooses the newest version that cargo allows', () => {
  const versions = ['0.5.2', '0.5.6', '0.5.10-rc.1', '0.6.0', '1.0.0', '1.4.0', '2.0.0']
  const check = (requirement: string, expected: string | null) =>
    expect(compatibleVersion(requirement, versions)).toBe(expected)
  check('0.5.2', '0.5.6')
  check('0.5', '0.5.6')
  check('=0.5.2', '0.5.2')
  check('~0.5.3', '0.5.6')
  check('1', '1.4.0')
  check('>=1, <1.3', '1.0.0')
  check('*', '2.0.0')
  check('3', null)
})
