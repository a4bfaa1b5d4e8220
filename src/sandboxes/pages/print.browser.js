// The script of the print page of a sandbox. The host serves this file unchanged.

const key = new URLSearchParams(location.hash.slice(1)).get('key')
if (key !== null && /^pst_[0-9A-Za-z]{49}$/.test(key)) {
  document.getElementById('key').textContent = key
  document.getElementById('key-value').textContent = key
  document.getElementById('key-part').hidden = false
  document.getElementById('key-line').hidden = false
  document.getElementById('key-hint').hidden = true
}

const expiry = document.getElementById('expiry')
const expiresAt = new Date(expiry.dateTime)
expiry.textContent = expiresAt.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' })

document.getElementById('print-button').addEventListener('click', () => print())
