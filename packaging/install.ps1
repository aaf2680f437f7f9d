# Installs og on Windows for the user who runs it: no administrator, no registry, no PATH changed.
#   irm ADDRESS/install.ps1 | iex
#   .\install.ps1 [-Unsigned] [-Uninstall]
# OG_VERSION      a version; without it the latest
# OG_INSTALL_DIR  where og.exe goes; without it %LOCALAPPDATA%\Programs\og
# OG_BASE_URL     where releases lie; without it where this script came from
# OG_PUBLIC_KEY   the minisign key that they are signed with; without it ours
param([switch]$Unsigned, [switch]$Uninstall)

function Stop-Og([string]$What, [string]$Hint) { throw "error: $What`nhint: $Hint" }

function Get-OgFile([string]$Address, [string]$Path) {
  $ProgressPreference = 'SilentlyContinue'  # Its bar makes a download ten times as slow.
  try { Invoke-WebRequest -UseBasicParsing -Uri $Address -OutFile $Path }
  catch { Stop-Og "Cannot fetch ${Address}: $_" 'check OG_VERSION, OG_BASE_URL, network and disk' }
}

function Assert-OgSystem {
  if ($env:PROCESSOR_ARCHITECTURE -ne 'AMD64' -and $env:PROCESSOR_ARCHITEW6432 -ne 'AMD64') {
    Stop-Og "Cannot install: there is no og for $env:PROCESSOR_ARCHITECTURE" 'it runs on x64'
  }
  $call = '[DllImport("kernel32.dll")] public static extern bool IsProcessorFeaturePresent(int f);'
  $processor = Add-Type -MemberDefinition $call -Name OgProcessor -Namespace Og -PassThru
  if (-not $processor::IsProcessorFeaturePresent(40)) {
    Stop-Og 'Cannot install: this processor has no AVX2' 'og needs one of 2013 or later'
  }
}

function Assert-OgSignature([string]$Address, [string]$Sums, [string]$Key) {
  if ($Unsigned) {
    Write-Warning 'the signature is not checked, as -Unsigned says'
    return
  }
  if (-not $Key) {
    Stop-Og 'Cannot check the signature: no public key' 'set OG_PUBLIC_KEY, or -Unsigned'
  }
  if (-not (Get-Command minisign -ErrorAction SilentlyContinue)) {
    Stop-Og 'Cannot check the signature: minisign is not here' 'install it (scoop, winget), or -Unsigned'
  }
  Get-OgFile "$Address/SHA256SUMS.minisig" "$Sums.minisig"
  & minisign -V -q -P $Key -m $Sums | Out-Null
  if ($LASTEXITCODE -ne 0) {
    Stop-Og 'Cannot trust SHA256SUMS: its signature is wrong' 'nothing was installed'
  }
}

# A program that runs cannot be replaced, but renamed; og upgrade --rollback knows this name.
function Move-OgInPlace([string]$New, [string]$Folder) {
  $own = Join-Path $Folder 'og.exe'
  $previous = Join-Path $Folder 'og.previous.exe'
  if (Test-Path -LiteralPath $own) { Move-Item -LiteralPath $own $previous -Force }
  try { Move-Item -LiteralPath $New $own }
  catch {
    if (Test-Path -LiteralPath $previous) { Move-Item -LiteralPath $previous $own }
    throw
  }
}

function Install-Og([string]$Folder) {
  $base = if ($env:OG_BASE_URL) { $env:OG_BASE_URL } else { '@RELEASES@' }
  $key = if ($env:OG_PUBLIC_KEY) { $env:OG_PUBLIC_KEY } else { '@PUBLIC_KEY@' }
  if (-not $base) { Stop-Og 'Cannot install: no address of releases' 'set OG_BASE_URL' }
  Assert-OgSystem
  $address = "$base/latest/download"
  if ($env:OG_VERSION) { $address = "$base/download/v$($env:OG_VERSION -replace '^v', '')" }
  # In the folder itself, so that og.exe appears by one rename.
  $work = Join-Path $Folder ".og-install.$PID"
  New-Item -ItemType Directory -Force $work | Out-Null
  try {
    $sums = Join-Path $work 'SHA256SUMS'
    Get-OgFile "$address/SHA256SUMS" $sums
    Assert-OgSignature $address $sums $key
    $line = Get-Content $sums | Where-Object { $_ -match '^[0-9a-f]{64}  og-[\w.+-]+-windows-x64\.zip$' }
    if (-not $line) { Stop-Og 'Cannot install: this release has no og for windows-x64' $address }
    $wanted, $file = @($line)[0] -split '  '
    $archive = Join-Path $work $file
    Write-Host "Fetching $address/$file"
    Get-OgFile "$address/$file" $archive
    $found = (Get-FileHash -Algorithm SHA256 -LiteralPath $archive).Hash.ToLower()
    if ($found -ne $wanted) {
      Stop-Og "Cannot trust ${file}: it is not what was released" "its SHA-256 is $found, not $wanted"
    }
    Expand-Archive -LiteralPath $archive -DestinationPath $work
    $new = Join-Path $work "$($file -replace '\.zip$', '')\og.exe"
    $version = & $new version
    if ($LASTEXITCODE -ne 0) { Stop-Og 'Cannot run og here' 'nothing was installed' }
    Move-OgInPlace $new $Folder
    Write-Host "Installed og $version as $Folder\og.exe"
    if (($env:PATH -split ';') -notcontains $Folder) {
      Write-Host "To find it, add $Folder to PATH (Settings, environment variables)"
    }
  }
  finally { Remove-Item -Recurse -Force -LiteralPath $work }
}

function Uninstall-Og([string]$Folder) {
  $own = Join-Path $Folder 'og.exe'
  if (-not (Test-Path -LiteralPath $own)) {
    Stop-Og "Cannot uninstall: there is no $own" 'set OG_INSTALL_DIR'
  }
  Remove-Item -Force "$Folder\og.exe", "$Folder\og.previous.exe" -ErrorAction SilentlyContinue
  Write-Host "Removed $own; what it stored stays in $env:LOCALAPPDATA\og"
}

# The last lines: a script that was cut off does nothing.
& {
  $ErrorActionPreference = 'Stop'
  [Net.ServicePointManager]::SecurityProtocol = 'Tls12'
  $folder = "$env:LOCALAPPDATA\Programs\og"
  if ($env:OG_INSTALL_DIR) { $folder = $env:OG_INSTALL_DIR }
  if ($Uninstall) { Uninstall-Og $folder } else { Install-Og $folder }
}
