// Preloaded by og under wine 8, where Bun's recursive removal of a folder fails with EFAULT (not on
// Windows). It removes the files one by one.
'use strict'
const fs = require('node:fs')

function removeTree(path) {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isDirectory()) return fs.unlinkSync(path)
  for (const name of fs.readdirSync(path)) removeTree(`${path}\\${name}`)
  fs.rmdirSync(path)
}

const { rmSync } = fs
const { rm } = fs.promises
fs.rmSync = (path, options) =>
  options?.recursive ? removeTree(String(path)) : rmSync(path, options)
fs.promises.rm = async (path, options) =>
  options?.recursive ? removeTree(String(path)) : rm(path, options)
