// For og under wine 8, where the call fails by which Bun removes a folder with all that is in it
// (EFAULT; Windows has no such fault): here that is done file by file.
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
