import { InputPathToUrlTransformPlugin } from "@11ty/eleventy";
import anchor from "markdown-it-anchor";
import definitions from "markdown-it-deflist";

export default function (config) {
  config.addPlugin(InputPathToUrlTransformPlugin);
  config.amendLibrary("md", (md) => md.use(anchor).use(definitions));
  config.addCollection("folders", (api) => {
    const folders = {};
    for (const page of api.getFilteredByGlob("content/folder-*/*.md"))
      (folders[page.filePathStem.split("/")[1]] ??= []).push(page);
    return folders;
  });
  config.setQuietMode(true);
}
export const config = { dir: { input: "content", includes: "../includes" }, markdownTemplateEngine: false };
