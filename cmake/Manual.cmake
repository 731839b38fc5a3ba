# SPDX-License-Identifier: Apache-2.0
# The manual page and the shell completions. The command prints them from its option table, so that
# they always match the installed command. Builds for a machine whose programs cannot run here, as
# macOS, have neither.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  return()
endif()
set(weft_manual "${PROJECT_BINARY_DIR}/share")
add_custom_command(
  OUTPUT "${weft_manual}/weft.1" "${weft_manual}/weft.bash" "${weft_manual}/_weft"
         "${weft_manual}/weft.fish"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${weft_manual}"
  COMMAND weft man > "${weft_manual}/weft.1"
  COMMAND weft completion bash > "${weft_manual}/weft.bash"
  COMMAND weft completion zsh > "${weft_manual}/_weft"
  COMMAND weft completion fish > "${weft_manual}/weft.fish"
  DEPENDS weft
  COMMENT "Printing the manual page and completions of weft" VERBATIM)
add_custom_target(weft_manual ALL DEPENDS "${weft_manual}/weft.1")
# Optional: an installation of single targets contains only their files.
install(FILES "${weft_manual}/weft.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES "${weft_manual}/weft.bash"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME weft OPTIONAL)
install(FILES "${weft_manual}/_weft"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" OPTIONAL)
install(FILES "${weft_manual}/weft.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" OPTIONAL)
