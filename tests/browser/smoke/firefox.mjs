// Opens a page in Firefox over WebDriver BiDi, and prints its title when the smoke test has ended.
// Arguments: the main file of puppeteer-core, the program, the address, milliseconds to wait.
const [, , library, executablePath, address, timeout] = process.argv;
const { default: puppeteer } = await import(library);
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true, protocol: "webDriverBiDi" });
try {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => document.title !== "smoke: running", { timeout: Number(timeout) });
  console.log(await page.title());
} finally {
  await browser.close();
}
