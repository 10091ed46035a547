// Makes a receipt as a PDF of one page, without a package, and returns it in base64.
const escaped = text => text.replace(/[\\()]/g, '\\$&')

module.exports = ({ args: { title, lines } }) => {
  const text = [title, ...lines].map(
    (line, index) => `1 0 0 1 72 ${770 - index * 18} Tm (${escaped(line)}) Tj`,
  )
  const content = `BT /F1 12 Tf ${text.join(' ')} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = pdf.length
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const table = pdf.length
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  pdf += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`
  return { raw: { pdf: Buffer.from(pdf, 'latin1').toString('base64'), type: 'application/pdf' } }
}
